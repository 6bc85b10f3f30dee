// Better Auth as its documentation sets it up for Node.js. It is copied to where Better Auth is installed, and runs there.
import { createServer } from 'node:http';
import { hash, verify } from '@node-rs/argon2';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { admin } from 'better-auth/plugins';
import pg from 'pg';

const settings = JSON.parse(process.env.SETTINGS);

const options = {
  baseURL: settings.url,
  database: new pg.Pool(settings.database),
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password) => hash(password, settings.cost),
      verify: ({ hash: kept, password }) => verify(kept, password),
    },
  },
  plugins: [admin()],
  // In production it takes 100 requests in 10 seconds from an address unless told otherwise.
  rateLimit: { enabled: false },
  logger: { level: 'error' },
  telemetry: { enabled: false },
};

const { runMigrations } = await getMigrations(options);
await runMigrations();
const auth = betterAuth(options);
await auth.api.createUser({ body: { ...settings.admin, name: 'Admin', role: 'admin' } });
createServer(toNodeHandler(auth)).listen(settings.port, '127.0.0.1');
