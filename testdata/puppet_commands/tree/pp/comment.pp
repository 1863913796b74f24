# only
