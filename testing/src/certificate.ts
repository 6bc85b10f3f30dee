import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a key and a certificate for localhost in a folder. Returns them and the path of the certificate. */
export function makeCertificate(folder: string) {
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', keyPath, '-out', certPath], {
    stdio: 'ignore',
  });
  return { key: readFileSync(keyPath), cert: readFileSync(certPath), certPath };
}
