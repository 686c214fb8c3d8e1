"""What a release is held against before anything is published; `RELEASING.md` tells the steps."""
