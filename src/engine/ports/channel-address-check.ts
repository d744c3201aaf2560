/** Says whether an address that an account has chosen for a channel lies on the public internet. */
export interface ChannelAddressCheck {
  admits(url: string): Promise<boolean>;
}
