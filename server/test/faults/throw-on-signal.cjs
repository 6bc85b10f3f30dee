// Node.js loads this file into a service before it starts. SIGUSR2 then causes an uncaught error.
process.on('SIGUSR2', () => {
  throw new Error('an uncaught error');
});
