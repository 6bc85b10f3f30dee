import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { actorOf } from '../clients/authentication.plugin.ts';
import { errorAnswer, errorAnswers, Moment, Text } from '../http/answer-schemas.ts';
import { debug, Id, named, nullable, oneOf, pathOf, strictObject, Uuid } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { CodeIssuer } from '../passwords/password-code.ts';
import { acceptedFormat, contentTypes, ExportHeaders } from '../records/read/export.routes.ts';
import { type ExportFormat, exportFormats } from '../records/read/export-format.ts';
import { jobsSeenBy } from './job.ts';
import type { JobInvitationStore } from './job-invitations.store.ts';
import { invitationTexts } from './job-invitations.ts';
import type { JobStore } from './jobs.store.ts';

interface JobInvitationTools {
  readonly store: JobStore;
  readonly invitations: JobInvitationStore;
  readonly issueCode: CodeIssuer;
}

/** `jobs/{id}/invitations`: issues the codes of the users that a job has invited, and streams them. */
export function jobInvitationRoute(app: Api, { store, invitations, issueCode }: JobInvitationTools): void {
  app.post(
    '/jobs/:id/invitations',
    {
      config: { permission: 'users.invite', limited: true, emptyBody: true, maxValues: 10 },
      schema: {
        operationId: 'issueInvitations',
        summary: 'Issue the codes of the users that a job has invited',
        description:
          'Issues a new code to each user that the job has invited with `Invite: "code"`, and streams them, one user on each line. Their earlier codes end, so a second call replaces the codes of the first. Users that have set their password since, that are disabled or that were deleted get no code; `Skipped` says why. The job must have ended. If the stream ends early, the users that it lacks have no new code: call again.',
        tags: ['jobs'],
        params: JobPath,
        querystring: InvitationQuery,
        headers: ExportHeaders,
        response: invitationAnswers,
      },
    },
    async (request, reply) => {
      const { id, endedAt, clientId } = await store.find(request.params.id, jobsSeenBy(request.caller));
      // The codes of a job of someone else end with this call.
      if (clientId !== request.caller.clientId) request.requirePermission('jobs.write');
      if (endedAt === null) throw new ApiError('JOB_NOT_ENDED');
      const withNames = request.caller.permissions.has('records.read');
      const format = request.query.format ?? acceptedFormat(request);
      const groups = invitations.issue(id, {
        issueCode,
        actor: actorOf(request),
        callerTags: request.caller.tags,
      });
      const texts = invitationTexts(groups, { format, withNames });
      // The first text is made before the response begins, so that an error of the database still gets its own status.
      const first = await texts.next();
      return reply
        .type(`${contentTypes[format]}; charset=utf-8`)
        .header(
          'content-disposition',
          `attachment; filename="invitations.${format === 'ndjson' ? 'ndjson' : 'csv'}"`,
        )
        .header('vary', 'Accept')
        .send(Readable.from(startingWith(first, texts), { objectMode: false, highWaterMark: 1 }));
    },
  );
}

async function* startingWith(
  first: IteratorResult<string>,
  others: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* others;
}

const JobPath = pathOf('JOB_NOT_FOUND', { id: Uuid });
const InvitationQuery = Type.Object({
  format: Type.Optional(
    oneOf(Object.keys(exportFormats) as ExportFormat[], { description: 'Takes precedence over `Accept`.' }),
  ),
  ...debug,
});

const Invitation = named(
  'JobInvitation',
  strictObject(
    {
      Position: Type.Integer({ minimum: 0, description: 'Zero-based index of the record in the job.' }),
      IRID: nullable(Id),
      ExternalKey: Text,
      Denomination: Text,
      ID: Id,
      Username: Text,
      Email: Text,
      FirstName: Text,
      LastName: Text,
      Language: Text,
      Code: Text,
      URL: Text,
      ExpiresAt: nullable(Moment),
      Skipped: nullable(
        oneOf(['deleted', 'disabled', 'password_set'], { description: 'Why the user gets no code.' }),
      ),
    },
    { description: 'A user that a job has invited, with its new code. A line of the answer.' },
  ),
);

const invitationAnswers = {
  200: {
    description: 'The codes.',
    content: {
      [contentTypes.ndjson]: { schema: Invitation },
      [contentTypes.csv]: { schema: Type.String() },
    },
  },
  ...errorAnswers,
  404: errorAnswer('There is no such job, or it belongs to another client.', 'JOB_NOT_FOUND'),
  409: errorAnswer('The job has not ended.', 'JOB_NOT_ENDED'),
};
