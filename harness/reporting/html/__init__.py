"""report.html: one file that opens offline, under a policy that lets nothing in and nothing out."""
