import type { MetadataRoute } from "next";

/** What lets a phone keep the app on its home screen, without which iOS shows no web notifications. */
export default function manifest(): MetadataRoute.Manifest {
  return {
    name: "Punctual",
    short_name: "Punctual",
    description: "Reminders by push, email and SMS.",
    start_url: "/reminders",
    scope: "/",
    display: "standalone",
    background_color: "#f7f7f5",
    theme_color: "#1d4fd7",
    icons: [
      { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
      { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  };
}
