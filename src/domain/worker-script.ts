/**
 * Returns the address of the script `<name>.worker` of the module at `moduleUrl`, for `new Worker`. In the source tree it is TypeScript
 * beside the module; a build (tools/build) has JavaScript, with all scripts in one folder.
 */
export function workerScript(name: string, moduleUrl: string): URL {
  return new URL(`./${name}.worker.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}
