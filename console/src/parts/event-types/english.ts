import type { Delivery } from '@anagrafe/client';

/** What happens, by the type of its event. */
export const english: Readonly<Record<Delivery['Type'], string>> = {
  'principal.inserted': 'Principal inserted',
  'principal.state_changed': 'State of a principal changed',
  'user.registered': 'User registered',
  'user.password_reset': 'Password reset',
  'user.state_changed': 'State of a user changed',
  'call.completed': 'Call completed',
  'job.completed': 'Job completed',
  'webhook.disabled': 'Webhook disabled',
  'webhook.test': 'Test message',
};
