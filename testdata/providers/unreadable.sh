cd /srv/t; ln -s loop loop; ln -s nowhere through; mkfifo fifo; mkdir isdir; touch isdir/x file; ln -s nowhere dangling; ln -s nowhere2 dangling3
