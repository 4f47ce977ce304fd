@rem dripstone: made by `make install`, removed by `make uninstall`
@"/usr/bin/node" "/home/ann/dripstone/dist/cli.js" %*
