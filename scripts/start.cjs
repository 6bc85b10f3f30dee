// @ts-check
const { join } = require('node:path');
const { prepare, root } = require('./prepare.cjs');

prepare();
// In this very process, so that a signal to it reaches the service.
process.argv.splice(1, 1, join(root, 'server', 'bin', 'anagrafe.cjs'), 'serve');
require('../server/bin/anagrafe.cjs');
