import { userInfo } from 'node:os';

/** Returns the name of the user who runs this process, or the user's number if there is no name, as in some containers. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
