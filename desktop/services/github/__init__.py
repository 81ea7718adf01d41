"""GitHub: remote addresses, requests, and what they tell, as values of the domain."""
