"""iogauge on machines and with settings that are not like those of its developers."""
