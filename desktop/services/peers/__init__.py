"""Programs that we talk with over their pipes: their process, its lines and its log."""
