import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { output } from './run.ts';
import versions from './versions.json';

/* The Go compiler. Debian's is too old for the programs, and cannot fetch a newer one by itself. */

const PROXY = (process.env.GOPROXY || 'https://proxy.golang.org').split(/[,|]/)[0];
const SUMS: Readonly<Record<string, string>> = versions.go.sha256;

/** Resolves to the program `go`: the installed one if it is recent, else one that is kept in the folder and fetched if necessary. */
export async function goProgram(folder: string): Promise<string> {
  const installed = Bun.which('go');
  if (installed !== null && (await isRecent(installed))) return installed;
  const own = join(folder, `go-${versions.go.version}`);
  if (!existsSync(own)) await fetchGo(folder, own);
  return join(own, 'bin', 'go');
}

async function isRecent(go: string): Promise<boolean> {
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec((await output([go, 'env', 'GOVERSION'])).trim()) ?? [];
  const [wantedMajor, wantedMinor] = versions.go.version.split('.');
  return Number(major) === Number(wantedMajor) && Number(minor) >= Number(wantedMinor);
}

/** Fetches the compiler as the module that `go` itself would fetch (https://go.dev/ref/mod#goproxy-protocol). */
async function fetchGo(folder: string, own: string): Promise<void> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const sum = SUMS[platform];
  const advice = `Install Go ${versions.go.version} (https://go.dev/dl)`;
  if (sum === undefined)
    throw new Error(`Go is missing or too old, and there is no download for ${platform}. ${advice}`);
  const url = `${PROXY}/golang.org/toolchain/@v/v0.0.1-go${versions.go.version}.${platform}.zip`;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`Go is missing or too old, and ${url} answered ${response.status}. ${advice}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (createHash('sha256').update(bytes).digest('hex') !== sum)
    throw new Error(`${url} has another checksum. ${advice}`);
  const unfinished = await mkdtemp(join(folder, 'go-unfinished-'));
  try {
    const file = join(unfinished, 'go.zip');
    await Bun.write(file, bytes);
    await output(['python3', '-c', UNPACK, file, join(unfinished, 'go')]);
    await rename(join(unfinished, 'go'), own);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Unpacks the module without its prefix, and makes the programs executable, which a module's zip does not record. */
const UNPACK = `
import os, sys, zipfile
file, folder = sys.argv[1:]
with zipfile.ZipFile(file) as archive:
    for name in archive.namelist():
        path = os.path.join(folder, name.split('/', 2)[2])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as target:
            target.write(archive.read(name))
        if '/bin/' in name or '/pkg/tool/' in name:
            os.chmod(path, 0o755)
`;
