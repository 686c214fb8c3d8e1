"""Is silence justified? Generated programs are analysed, and executed where nothing is reported."""
