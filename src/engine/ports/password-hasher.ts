/** Hashes passwords. It is deliberately slow and memory-hard, and only a few hashes run at once. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}
