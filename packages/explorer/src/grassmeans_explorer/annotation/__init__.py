"""Lines judged by several people: samples, judgments, agreement, adjudication, exchange."""
