import { userInfo } from 'node:os';

/** The name of the system's user who runs this process. In a container it may have none: then its number. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
