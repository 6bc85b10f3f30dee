import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

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

/** A mail server that takes every mail, but for one address that does not exist. */
export async function openMailServer() {
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, callback) {
      const refusal = Object.assign(new Error('5.1.1 Mailbox does not exist'), { responseCode: 550 });
      callback(address.startsWith('sede@') ? refusal : null);
    },
    onData(stream, _session, callback) {
      stream.resume().on('end', callback);
    },
  });
  server.on('error', () => {});
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${server.server.address().port}?starttls=off`,
    close: () => server.close(),
  };
}
