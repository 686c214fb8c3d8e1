"""Is silence right? Programs that are made up are analysed, and executed where nothing is said."""
