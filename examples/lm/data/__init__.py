"""The data of the language-model example: from JSON-lines records, or from documentation, to flat files of tokens."""
