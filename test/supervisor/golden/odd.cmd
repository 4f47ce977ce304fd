@rem dripstone: made by `make install`, removed by `make uninstall`
@"/opt/my node/bin/node" "/home/ann/a "b" 100% $c/dist/cli.js" %*
