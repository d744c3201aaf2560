import { run } from '../build/run.ts';

/**
 * Packs files into a gzipped tar archive whose bytes depend on names and contents only. Needs GNU tar.
 *
 * @param seconds the time of all files, since 1970
 * @param names files and folders, relative to `folder`
 */
export async function archive(file: string, folder: string, names: readonly string[], seconds: number): Promise<void> {
  const same = ['--sort=name', '--format=ustar', '--owner=0', '--group=0', '--numeric-owner', '--mode=go=u,go-w'];
  const packing = ['--use-compress-program', 'gzip --no-name'];
  await run(['tar', ...same, `--mtime=@${seconds}`, ...packing, '--create', '--file', file, ...names], { cwd: folder });
}
