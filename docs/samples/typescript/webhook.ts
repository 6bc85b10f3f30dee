// Receives and verifies webhook messages: PORT=8080 WEBHOOK_SECRET=whsec_... node dist/webhook.js
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from '@anagrafe/client';

const { PORT = '8080', WEBHOOK_SECRET: secret = '' } = process.env;
if (!secret.startsWith('whsec_')) {
  console.error('Set WEBHOOK_SECRET to the secret of the endpoint (whsec_...).');
  process.exit(2);
}

const server = createServer(async (request, response) => {
  try {
    // The signature covers the raw text: a body that is parsed and serialised again has another signature.
    const event = await verifyWebhook(await text(request), request.headers, secret.trim());
    // Process the event here. A message can arrive twice: process each webhook-id once.
    console.log(request.headers['webhook-id'], event.type, JSON.stringify(event.data));
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 401 : 500).end();
  }
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${PORT}`));
