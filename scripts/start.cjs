// @ts-check
const { join } = require('node:path');
const { prepare, root } = require('./prepare.cjs');

try {
  prepare();
} catch (error) {
  // A program that failed has a status and has printed its own error.
  if (error.status == null) throw error;
  console.error('Anagrafe could not be installed or built. Fix the error above, then run "npm start" again.');
  process.exit(1);
}
// In this very process, so that a signal to it reaches the service.
process.argv.splice(1, 1, join(root, 'server', 'bin', 'anagrafe.cjs'), 'serve');
require('../server/bin/anagrafe.cjs');
