const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text of a link can name a parcel: only then may it reach a column of ids. */
export function isShipmentId(text: string): boolean {
  return UUID.test(text);
}
