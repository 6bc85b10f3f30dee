import type { Cause } from './cause.ts';

/** What is wrong, and what to do about it. */
export interface Advice {
  readonly what: string;
  readonly todo: string;
}

const causes: Readonly<Record<Cause, Advice>> = {
  moved: {
    what: 'The receiver is somewhere else',
    todo: 'It answered with a redirect, which is not followed. Edit the webhook: enter the address that it leads to.',
  },
  unauthorized: {
    what: 'The receiver does not let the message in',
    todo: 'Check that it knows the secret of this webhook and that its clock is right. A new secret helps where it is lost. If it asks for a login in front of the address, exempt the address.',
  },
  notFound: {
    what: 'Nothing takes messages at this address',
    todo: 'Compare the address with that of the receiver, letter by letter. It has to take POST.',
  },
  gone: {
    what: 'The receiver is gone for good',
    todo: 'It wants no more messages here. Edit the address, or delete the webhook.',
  },
  tooMany: {
    what: 'These are too many messages for the receiver',
    todo: 'It is tried again later by itself. Fewer messages come by choosing one for each record, or for each call and job.',
  },
  rejected: {
    what: 'The receiver refused the message',
    todo: 'What came back may say why. Mend the receiver, then send it again.',
  },
  broken: {
    what: 'The receiver had a failure of its own',
    todo: 'Look into the log of the receiver at the time of the last attempt. Once it is mended, send it again.',
  },
  slow: {
    what: 'The receiver did not answer in time',
    todo: 'It has 15 seconds. It should answer at once and work afterwards. If it never answers, a firewall may be in the way.',
  },
  internal: {
    what: 'The address is inside a network that nothing is sent to',
    todo: 'If it is the right one, name its network in the setting ANAGRAFE_WEBHOOK_NETWORKS and restart the service.',
  },
  plainHttp: {
    what: 'Nothing is sent there without encryption',
    todo: 'Edit the address to begin with https, or name its network in the setting ANAGRAFE_WEBHOOK_NETWORKS and restart the service.',
  },
  closed: {
    what: 'Nobody listens at this address',
    todo: 'Check that the receiver is running, and that host and port of the address are right.',
  },
  cut: {
    what: 'The connection was cut',
    todo: 'The receiver, or a proxy before it, hung up without an answer. Look into its log at the time of the last attempt.',
  },
  unknownName: {
    what: 'The name in the address is not known',
    todo: 'Check how it is written, and that it can be looked up on the machine of the service.',
  },
  unreachable: {
    what: 'There is no way to this address',
    todo: 'Check the network and the firewall of the machine of the service.',
  },
  insecure: {
    what: 'No secure connection came about',
    todo: 'Check the certificate of the receiver: not expired, made out for the name in the address, sent with its whole chain. NODE_EXTRA_CA_CERTS names an authority of your own to the service.',
  },
  strange: {
    what: 'What answered does not speak HTTP',
    todo: 'Check the port of the address, and whether it should be http or https.',
  },
  forgotten: {
    what: 'This can no longer be sent',
    todo: 'What it tells of is no longer kept. The receiver can be brought up to date out of the lists of principals and users.',
  },
  other: {
    what: 'The receiver did not take it',
    todo: 'Try the webhook with a test message, and look into the log of the receiver.',
  },
};

export const english = {
  causes,
  byHand: 'By hand',
  clientRevoked: 'Its client was revoked',
  clientLostAdmin: 'Its client lost the scope admin',
  answered: (status: string) => `The receiver answered ${status}`,
  unknown: (why: string) => (why === '' ? causes.other.what : `${causes.other.what}: ${why}`),
};

export type Words = typeof english;
