/** Makes what is stored of a password. It takes a while, and memory, by intention; only a few run at once. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}
