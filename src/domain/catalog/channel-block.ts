/** Why the gateway itself has taken a channel out of use: its provider refuses the credentials, so every request would fail. */
export interface ChannelBlock {
  readonly atMs: number;
  /** One sentence, cleaned of secrets. */
  readonly reason: string;
}
