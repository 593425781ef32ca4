/* Wrapper around the AprilTag library with plain data types, so that the layout of the library's own structures,
 * which may differ between releases, is known only to the C compiler. Called by apriltag.rs. */

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct xpuck_tag {
    int32_t id;
    float margin;
    double centre[2];
    double corners[4][2];
};

struct xpuck_detector {
    apriltag_detector_t *detector;
    apriltag_family_t *family;
};

struct xpuck_detector *xpuck_detector_create(float decimate)
{
    struct xpuck_detector *d = malloc(sizeof *d);
    if (!d)
        return NULL;
    d->family = tag36h11_create();
    d->detector = apriltag_detector_create();
    /* Corrects one wrong bit: correcting two needs a table of 19 MB and gives more false detections. */
    apriltag_detector_add_family_bits(d->detector, d->family, 1);
    d->detector->nthreads = 1;
    d->detector->quad_decimate = decimate;
    return d;
}

void xpuck_detector_destroy(struct xpuck_detector *d)
{
    apriltag_detector_destroy(d->detector);
    tag36h11_destroy(d->family);
    free(d);
}

int32_t xpuck_detector_detect(struct xpuck_detector *d, uint8_t *luma, int32_t width, int32_t height,
                              struct xpuck_tag *tags, int32_t most)
{
    image_u8_t image = {.width = width, .height = height, .stride = width, .buf = luma};
    zarray_t *found = apriltag_detector_detect(d->detector, &image);
    int32_t count = 0;
    for (int i = 0; i < zarray_size(found) && count < most; i++) {
        apriltag_detection_t *detection;
        zarray_get(found, i, &detection);
        struct xpuck_tag *tag = &tags[count++];
        tag->id = detection->id;
        tag->margin = detection->decision_margin;
        memcpy(tag->centre, detection->c, sizeof tag->centre);
        memcpy(tag->corners, detection->p, sizeof tag->corners);
    }
    apriltag_detections_destroy(found);
    return count;
}

/* Writes the cells of a tag including its white margin, one byte each (0 or 255), to a buffer of `most` bytes.
 * Returns the side length in cells, or 0 if the id is unknown or the buffer too small. */
int32_t xpuck_tag_picture(int32_t id, uint8_t *cells, int32_t most)
{
    apriltag_family_t *family = tag36h11_create();
    int32_t side = 0;
    if (id >= 0 && (uint32_t)id < family->ncodes && family->total_width * family->total_width <= most) {
        side = family->total_width;
        int32_t border = family->width_at_border, margin = (side - border) / 2;
        memset(cells, 255, side * side);
        for (int32_t row = 0; row < border; row++)
            memset(cells + (margin + row) * side + margin, 0, border);
        for (uint32_t bit = 0; bit < family->nbits; bit++)
            if (family->codes[id] >> (family->nbits - 1 - bit) & 1)
                cells[(margin + family->bit_y[bit]) * side + margin + family->bit_x[bit]] = 255;
    }
    tag36h11_destroy(family);
    return side;
}
