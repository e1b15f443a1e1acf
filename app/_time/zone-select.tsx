"use client";

import type { ComponentProps } from "react";
import { useWords } from "../_language/give-words";
import { Select } from "../_ui/field";

/** A choice of time zones, by region. */
export function ZoneSelect({ zones, ...rest }: ComponentProps<typeof Select> & { zones: readonly string[] }) {
  const { otherRegion } = useWords("zone").words.zone;
  const regions = new Map<string, string[]>();
  for (const zone of zones) {
    const region = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : otherRegion;
    regions.set(region, [...(regions.get(region) ?? []), zone]);
  }
  return (
    <Select {...rest} dir="ltr">
      {[...regions].map(([region, names]) => (
        <optgroup key={region} label={region}>
          {names.map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll("_", " ")}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
