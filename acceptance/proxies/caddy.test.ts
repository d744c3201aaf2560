import { join } from 'node:path';
import { example, type ProxyProcess, type ProxySite } from './bed.ts';
import { describeProxy } from './proxy-cases.ts';

async function start(site: ProxySite): Promise<ProxyProcess> {
  const { folder, port, prefixPort, gatewayPort, certificate, privateKey } = site;
  const block = (at: number) => `https://127.0.0.1:${at} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${privateKey}\n`;
  const own = await example('caddy/Caddyfile', {
    'ai.example.com {\n': block(port),
    '127.0.0.1:8787': `127.0.0.1:${gatewayPort}`,
  });
  const below = await example('caddy/below-a-path.Caddyfile', {
    '\nexample.com {\n': `\n${block(prefixPort)}`,
    '127.0.0.1:8787': `127.0.0.1:${gatewayPort}`,
  });
  const file = join(folder, 'Caddyfile');
  await Bun.write(
    file,
    `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n${own}\n${below}`,
  );
  return { command: ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], log: null };
}

describeProxy('Caddy', start);
