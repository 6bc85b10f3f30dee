// Hashes what it is sent, and ends with whoever sends it.
const { hash } = require('@node-rs/argon2');

const cost = JSON.parse(process.argv[2]);

// A Ctrl-C reaches every process of the terminal; the service still has work to finish, and says when it is over.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));

process.on('message', ([number, password]) => {
  hash(password, cost).then(
    (result) => process.send?.([number, result]),
    () => process.send?.([number, null]),
  );
});
