import type { FastifyInstance } from 'fastify';
import type { Permission } from '../clients/permissions.ts';
import { MergeQuery, UpsertHeaders, UpsertQuery, upsertAnswers } from './upsert.schemas.ts';
import { InsertQuery, InviteQuery, WriteHeaders, WriteQuery, writeAnswers } from './write.schemas.ts';
import {
  DeleteBody,
  InsertBody,
  InviteBody,
  MergeBody,
  StateBody,
  UpdateBody,
  UpsertBody,
} from './write-bodies.schemas.ts';
import { type WriteRouteTools, writeHandler } from './write-handler.routes.ts';

/** The operations with a plan have `If-Match`, and a dry run returns the effect of each record. */
const withPlan = { headers: UpsertHeaders, response: upsertAnswers };

const routes = {
  update: {
    summary: 'Register, edit and delete users, reset passwords, edit principals',
    description:
      'Applies the `Operation` of each user. Without `Operation`, a user with a `Username` is registered, and the password of a user with an `ID` is reset. Fields of the principal in the record are changed. A record is applied completely or not at all. Records do not affect each other. `PUT` and `PATCH` are equivalent to `POST`. A signed-in user can only change its own password, with `CurrentPassword`.',
    body: UpdateBody,
    querystring: InviteQuery,
  },
  insert: {
    summary: 'Create principals',
    description:
      'Creates principals, with or without users. `Item1` of each tuple is the ID of the new principal. A record is applied completely or not at all.',
    body: InsertBody,
    querystring: InsertQuery,
  },
  state: {
    summary: 'Disable and enable principals and users',
    description:
      'A disabled user cannot sign in, and its sessions end. The users of a disabled principal cannot sign in, and no users can be registered under it. A record is applied completely or not at all.',
    body: StateBody,
    querystring: WriteQuery,
  },
  invite: {
    summary: 'Invite users to set their passwords',
    description:
      'Gives users a code with which they set their password, for a new and for a forgotten one. Without `Users`, all invited users of the principal get one. An earlier code of the user ends; its present password stays valid until the user sets another one. With `Invite: "code"` and `Prefer: return=representation` the answer has the codes; those of a job are returned by `jobs/{id}/invitations`. With `Invite: "email"` the user gets a mail with a link. A record is applied completely or not at all.',
    body: InviteBody,
    querystring: InviteQuery,
  },
  delete: {
    summary: 'Delete principals and users',
    description:
      'Deletes a principal with all of its users, or, with `Users`, only these users. Their sessions end, and failed records that name them are emptied. The audit log keeps the IDs. A record is applied completely or not at all.',
    body: DeleteBody,
    querystring: WriteQuery,
  },
  upsert: {
    summary: 'Insert and update principals with their users',
    description:
      'Finds each principal by its `ExternalKey` or `ID` and its users by `Username`. Inserts what is missing, changes what differs, and leaves equal principals and users as they are. A field that is absent is left alone. A record is applied completely or not at all. With `dryRun=true` the answer is the plan; with `If-Match` the call is applied only while that plan holds.',
    body: UpsertBody,
    querystring: UpsertQuery,
    ...withPlan,
  },
  merge: {
    summary: 'Merge principals',
    description:
      'Moves the users of the principal in `From` to the principal that the record names, with their IDs and passwords, and deletes the principal in `From`. Its external key becomes an alias, which names the other principal from then on. The other principal keeps its values and gets those that it lacks; `Kept` lists the values that differ. A record is applied completely or not at all. With `dryRun=true` the answer is the plan. A merge cannot be undone.',
    body: MergeBody,
    querystring: MergeQuery,
    ...withPlan,
  },
};

type RoutedOperation = keyof typeof routes;

/** A record of `irs/update` that does more than reset passwords requires `records.write`, too; see `resetsOnly`. */
const permissions: Readonly<Record<RoutedOperation, Permission>> = {
  update: 'passwords.reset',
  insert: 'records.write',
  state: 'states.write',
  invite: 'users.invite',
  delete: 'records.delete',
  upsert: 'records.write',
  merge: 'records.delete',
};

/** A signed-in user may change its own password. */
const ownPassword = { self: true, beforePasswordChange: true };

/** The write operations: answer with one tuple per record, or submit the records as a job. */
export function writeRoutes(app: FastifyInstance, tools: WriteRouteTools): void {
  const routeOf = (operation: RoutedOperation) => ({
    url: `/irs/${operation}`,
    config: {
      permission: permissions[operation],
      limited: true,
      once: true,
      records: true,
      ...(operation === 'update' && ownPassword),
    },
    handler: writeHandler(operation, tools),
  });
  for (const operation of Object.keys(routes) as RoutedOperation[]) {
    const common = { operationId: operation, tags: ['irs'], headers: WriteHeaders, response: writeAnswers };
    app.route({ method: 'POST', ...routeOf(operation), schema: { ...common, ...routes[operation] } });
  }
  app.route({
    method: ['PUT', 'PATCH'],
    ...routeOf('update'),
    schema: { hide: true, querystring: InviteQuery },
  });
}
