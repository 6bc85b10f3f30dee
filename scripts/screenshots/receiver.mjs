import { createServer } from 'node:http';

/** An endpoint for webhooks that takes every message, but for those that tell of a reset password. */
export async function openReceiver() {
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join(''));
    const taken = body.type !== 'user.password_reset';
    response.writeHead(taken ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(taken ? { received: true } : { error: 'the ERP is being restarted' }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://localhost:${server.address().port}/hooks/anagrafe`, close: () => server.close() };
}
