"""Programs whose words are a small language of their own, each read by a closed grammar."""
