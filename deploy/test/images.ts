import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/* Programs of this machine in place of the images that compose.yaml names, each started as its image starts it. */

export interface Image {
  /** The image's user, `UID:GID`. */
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Precedes the service's command. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** The oldest supported server, which is Debian's. */
const POSTGRES = '/usr/lib/postgresql/15/bin';

/** Does what the start script of the image does on an empty volume. */
const START_POSTGRES = `
set -eu
data=/var/lib/postgresql/18/docker
if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p "$data"
  ${POSTGRES}/initdb --pgdata="$data" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | ${POSTGRES}/postgres --single -D "$data" postgres
fi
exec ${POSTGRES}/"$@" -D "$data" -c listen_addresses='*' -c unix_socket_directories=/run/postgresql
`;

/** Fills the template as the image's start script does, and includes the result from a main file that is the image's in short. */
const START_NGINX = `
set -eu
resolvers="$(sed -n 's/^nameserver //p' /etc/resolv.conf | paste -sd ' ')"
sed "s/\\\${NGINX_LOCAL_RESOLVERS}/$resolvers/" /etc/nginx/templates/default.conf.template >/etc/nginx/conf.d/default.conf
cat >/tmp/nginx.conf <<END
pid /tmp/nginx.pid;
error_log /dev/stderr notice;
events {}
http {
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  include /etc/nginx/conf.d/*.conf;
}
END
exec /usr/sbin/nginx -c /tmp/nginx.conf -g 'daemon off;'
`;

const script = (text: string) => ['/bin/sh', '-c', text, 'sh'];

/** Grafana is missing, because Debian has no package of it. */
export const IMAGES: Readonly<Record<string, Image>> = {
  switchyard: ownImage(),
  'docker.io/library/postgres': { user: '0:0', environment: {}, entrypoint: script(START_POSTGRES), command: [] },
  'docker.io/library/redis': { user: '0:0', environment: {}, entrypoint: [], command: [] },
  'docker.io/nginxinc/nginx-unprivileged': {
    user: '101:101',
    environment: {},
    entrypoint: script(START_NGINX),
    command: [],
  },
  'docker.io/prom/prometheus': {
    user: '65534:65534',
    environment: {},
    entrypoint: ['/usr/bin/prometheus'],
    command: [],
  },
};

export function imageOf(reference: string): Image | undefined {
  const [repository = ''] = reference.split(/:(?=[^/]*$)/);
  return Object.hasOwn(IMAGES, repository) ? IMAGES[repository] : undefined;
}

/** Reads what the Dockerfile states. */
function ownImage(): Image {
  const text = readFileSync(join(import.meta.dir, '..', 'Dockerfile'), 'utf8');
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)/m.exec(text) ?? [];
  const pairs = block.split(/[\s\\]+/).map((pair) => pair.split('=') as [string, string]);
  const list = (instruction: string): string[] =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(text)?.[1] ?? '[]');
  const [, user = ''] = /^USER (\S+)$/m.exec(text) ?? [];
  return { user, environment: Object.fromEntries(pairs), entrypoint: list('ENTRYPOINT'), command: list('CMD') };
}
