/** Checks that the address of an account's own channel is on the public internet. */
export interface ChannelAddressCheck {
  admits(url: string): Promise<boolean>;
}
