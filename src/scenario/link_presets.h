#ifndef SCENARIO_LINK_PRESETS_H
#define SCENARIO_LINK_PRESETS_H

/// A link that the scenario may call by its name. Figures are those of one direction of one link.
struct link_preset {
    const char *name;
    const char *bandwidth; ///< "450GB/s"
    const char *latency;   ///< of the link alone; software latency is a cost of ranks, not of links
    const char *summary;
    const char *source;
};

/// All presets; the last has no name.
extern const struct link_preset link_presets[];

/// The preset of that name, or NULL.
const struct link_preset *link_preset_find(const char *name);

#endif
