import { join } from 'node:path';
import { BundleFolder, INSTALLED_BUNDLES, runBuild, sourceKey } from '../transports/dashboard/bundle-source.ts';

/* Runs after `npm install`: bundles the dashboard, so that the first page need not wait. Without this bundle a gateway builds its own. */

const ROOT = join(import.meta.dir, '..', '..');

try {
  const key = await sourceKey(ROOT);
  const folder = new BundleFolder(join(ROOT, INSTALLED_BUNDLES));
  if ((await folder.read(key)) === null) {
    const built = await runBuild(ROOT, false);
    if ('problem' in built) throw new Error(built.problem);
    await folder.write(key, built.file);
  }
} catch (error) {
  // The installation works without it; the problem is reported when a page is requested.
  console.error(`The dashboard was not built: ${error instanceof Error ? error.message : String(error)}`);
}
