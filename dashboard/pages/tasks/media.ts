/** Returns a file's address for the browser: the gateway's links use the clients' address, which may differ from the page's. */
export function mediaAddress(url: string, base: string = document.baseURI): string {
  const address = URL.parse(url, base);
  if (address === null) return url;
  const { pathname, search, searchParams } = address;
  const at = pathname.lastIndexOf('/media/');
  const isGateways = at >= 0 && searchParams.has('expires') && searchParams.has('signature');
  return isGateways ? new URL(pathname.slice(at + 1) + search, base).href : address.href;
}

/** Returns whether the page's policy allows it: the gateway's own files, and those in its object store. */
export function isShowable(address: string, base: string = document.baseURI): boolean {
  if (/^(?:data|blob):/.test(address)) return true;
  const url = URL.parse(address, base);
  return url !== null && (url.origin === new URL(base).origin || url.searchParams.has('X-Amz-Signature'));
}

export type MediaKind = 'image' | 'video' | 'audio' | 'model' | 'other';

/** Returns the kind by the file's type, else its name, else the task's kind. */
export function mediaKindOf(url: string, contentType: string | undefined, taskKind: string): MediaKind {
  const [group = ''] = (contentType ?? '').split('/');
  if (group === 'image' || group === 'video' || group === 'audio' || group === 'model') return group;
  const name = URL.parse(url, 'http://file')?.pathname.toLowerCase() ?? '';
  if (/\.(?:glb|gltf|obj|stl|fbx|usdz)$/.test(name) || taskKind === '3d') return 'model';
  if (contentType !== undefined && contentType !== 'application/octet-stream') return 'other';
  return taskKind === 'image' || taskKind === 'video' ? taskKind : 'audio';
}
