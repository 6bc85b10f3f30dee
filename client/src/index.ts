export { type Event, verifyWebhook, WebhookError, type WebhookFault } from './webhook.ts';
