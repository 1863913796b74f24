# A port of TCP.
type Demo::Port = Integer[1, 65535]
