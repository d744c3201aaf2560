/** The base path of the management API. It has its own file because most of the API is loaded at its first request only. */
export const MANAGEMENT_PATH = '/v1/management';

/** Returns whether this path belongs to the management API. */
export function isManagement(path: string): boolean {
  return path === MANAGEMENT_PATH || path.startsWith(`${MANAGEMENT_PATH}/`);
}
