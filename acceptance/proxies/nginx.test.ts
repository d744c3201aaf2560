import { join } from 'node:path';
import { example, type ProxyProcess, type ProxySite } from './bed.ts';
import { describeProxy } from './proxy-cases.ts';

/** Debian installs it where only root looks. */
const NGINX = Bun.which('nginx') ?? '/usr/sbin/nginx';

async function start(site: ProxySite): Promise<ProxyProcess> {
  const { folder, port, prefixPort, gatewayPort, certificate, privateKey } = site;
  const log = join(folder, 'access.log');
  const write = (name: string, text: string) => Bun.write(join(folder, name), text);
  await write('switchyard-proxy.conf', await example('nginx/switchyard-proxy.conf', {}));
  const server = await example('nginx/switchyard.conf', {
    '127.0.0.1:8787': `127.0.0.1:${gatewayPort}`,
    'listen 443': `listen 127.0.0.1:${port}`,
    '/etc/ssl/ai.example.com/fullchain.pem': certificate,
    '/etc/ssl/ai.example.com/privkey.pem': privateKey,
    '/var/log/nginx/switchyard.log': log,
  });
  await write('switchyard.conf', server);
  const locations = await example('nginx/below-a-path.conf', { '/var/log/nginx/switchyard.log': log });
  await write('below-a-path.conf', locations);
  await write(
    'nginx.conf',
    `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
    client_body_temp_path ${folder}/bodies;
    proxy_temp_path ${folder}/answers;
    include switchyard.conf;
    server {
        listen 127.0.0.1:${prefixPort} ssl;
        ssl_certificate ${certificate};
        ssl_certificate_key ${privateKey};
        include below-a-path.conf;
    }
}
`,
  );
  return { command: [NGINX, '-p', folder, '-c', join(folder, 'nginx.conf')], log };
}

describeProxy('nginx', start);
