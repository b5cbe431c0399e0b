// Workspace for the recursions of dynamics, in numbers of their scalar. The recursions check at
// compile time that what they keep fits.
#ifndef LWI_WORK_H
#define LWI_WORK_H

enum {
    LWI_WORK_BODY = 60,    ///< for each body
    LWI_WORK_LINK = 86,    ///< instead of that, where one state in double is evaluated
    LWI_WORK_DOF = 10,     ///< for each degree of freedom of the tree
    LWI_WORK_GENERAL = 48, ///< for each joint that is not about or along z
    LWI_WIDE_LANES = 4,    ///< of the recursions that take the columns of G along
    LWI_LEAST_SMALL = 4,   ///< rows of matrices that are multiplied as a whole
    LWI_MOST_SMALL = 8,    ///< and the most of these
    LWI_DEEP = 20          ///< degrees of freedom before one, on average, from which a tree is deep
};

#endif
