/** Why the provider has not done what it was asked for. */
export class ProviderRefusal {
  constructor(
    /** `null` if it is unknown whether the request arrived. */
    readonly status: number | null,
    readonly message: string,
  ) {}

  /** Whether the provider has refused the request for good. */
  get isFinal(): boolean {
    const { status } = this;
    return status !== null && status >= 400 && status < 500 && ![401, 403, 408, 409, 425, 429].includes(status);
  }
}
