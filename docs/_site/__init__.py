"""What the build of the site needs beyond Sphinx."""
