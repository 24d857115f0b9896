"""What a fitted model is made of: its state, options, labels, kernel and lock, and the checks of what users give."""
